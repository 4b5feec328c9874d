// A Rust program that plays an episode again, with the blocking client.

/** A text as a raw string literal. */
export function rustLiteral(text) {
  const longest = Math.max(-1, ...[...text.matchAll(/"(#*)/g)].map((match) => match[1].length));
  const fence = '#'.repeat(longest + 1);
  return `r${fence}"${text}"${fence}`;
}

export function rustProgram(replay) {
  const features = replay.base.startsWith('https:') ? '["blocking", "tls"]' : '["blocking"]';
  const kinds = new Set(replay.calls.map((call) => call.kind));
  const calls = replay.calls.flatMap((call) => [
    ...(call.failure === null ? [] : [`    // failed when it was recorded: ${call.failure}`]),
    `    ("${call.kind}", ${rustLiteral(rustJson(call.request))}, ${call.reward === null ? 'None' : `Some(${rustFloat(call.reward)})`}),`,
  ]);
  return `${[
    `// Plays episode ${replay.episode} of ${replay.environment} again.`,
    ...replay.notes.map((note) => `// Note: ${note}.`),
    '//',
    '// [dependencies]',
    `// openenv = { version = "0.1", default-features = false, features = ${features} }`,
    '// serde_json = "1"',
    '',
    'use openenv::{Json, ResetOptions, Reward, blocking::EnvClient};',
    'use serde_json::Value;',
    '',
    '/// What is called, with what, and the reward that was recorded.',
    'const CALLS: &[(&str, &str, Option<f64>)] = &[',
    ...calls,
    '];',
    '',
    'fn main() -> Result<(), Box<dyn std::error::Error>> {',
    `    let mut env = EnvClient::<Json>::connect(${rustLiteral(replay.base)})?;`,
    '    let mut total = 0.0;',
    '    for (n, (kind, what, recorded)) in CALLS.iter().enumerate() {',
    '        let what: Value = serde_json::from_str(what)?;',
    '        let outcome = match *kind {',
    '            "reset" => {',
    '                let mut options = ResetOptions::default();',
    '                options.extra = what.as_object().cloned().unwrap_or_default();',
    '                env.reset(options).map(|step| (step.reward, step.is_done()))',
    '            }',
    ...(kinds.has('tool')
      ? [
          '            "tool" => {',
          '                let name = what["name"].as_str().unwrap_or_default();',
          '                match env.call_tool(name, &what["arguments"]) {',
          '                    Ok(output) => println!("{n} {name}: {:?}", output.content()),',
          '                    Err(error) => println!("{n} {name} failed: {error}"),',
          '                }',
          '                continue;',
          '            }',
        ]
      : []),
    '            _ => env.step(&what).map(|step| (step.reward, step.is_done())),',
    '        };',
    '        match outcome {',
    '            Ok((reward, done)) => {',
    '                let reward = reward.map(Reward::as_f64);',
    '                total += reward.unwrap_or_default();',
    '                let note = if reward == *recorded { "" } else { "  (differs from the recording)" };',
    '                println!("{n} {kind} reward={reward:?} done={done}{note}");',
    '            }',
    '            Err(error) => println!("{n} {kind} failed: {error}"),',
    '        }',
    '    }',
    '    println!("return: {total}");',
    '    env.close()?;',
    '    Ok(())',
    '}',
  ].join('\n')}\n`;
}

/** JSON without the characters that a compiler refuses in a source file, such as those that reverse text. */
function rustJson(value) {
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g, (character) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function rustFloat(value) {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
