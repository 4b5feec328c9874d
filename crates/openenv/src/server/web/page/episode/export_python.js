// A Python program that plays an episode again, with the clients of the openenv package.

// Names that the client's own methods have: such an argument cannot be passed by keyword.
const TAKEN_BY_CALL_TOOL = ['name', 'self'];
const TAKEN_BY_RESET = ['self'];

/** A JSON value as a Python literal. */
export function pythonLiteral(value) {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value).map(([key, inner]) => `${pythonLiteral(key)}: ${pythonLiteral(inner)}`).join(', ')}}`;
  }
  return typeof value === 'string' ? pythonText(value) : JSON.stringify(value);
}

function pythonText(text) {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g, (character) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function pythonProgram(replay) {
  const hasTools = replay.calls.some((call) => call.kind === 'tool');
  const hasActions = replay.calls.some((call) => call.kind === 'step');
  const asStep = (call) => call.kind === 'tool' && TAKEN_BY_CALL_TOOL.some((name) => Object.hasOwn(call.request.arguments ?? {}, name));
  const needsAction = hasTools && (hasActions || replay.calls.some(asStep));
  const client = hasTools ? 'MCPToolClient' : 'GenericEnvClient';

  const calls = replay.calls.flatMap((call) => {
    const lines = [];
    if (call.failure !== null) lines.push(`    # failed when it was recorded: ${call.failure}`);
    if (call.kind === 'reset' && TAKEN_BY_RESET.some((name) => Object.hasOwn(call.request, name))) {
      lines.push('    # an argument called `self` cannot be passed by this client');
    }
    let [kind, what] = [call.kind, pythonLiteral(call.request)];
    if (asStep(call)) {
      lines.push('    # as a step: this client cannot pass an argument of this name to a tool');
      kind = 'step';
      what = pythonLiteral({ type: 'call_tool', tool_name: call.request.name, arguments: call.request.arguments });
    }
    lines.push(`    (${pythonLiteral(kind)}, ${what}, ${pythonLiteral(call.reward)}),`);
    return lines;
  });

  return `${[
    `# Plays episode ${replay.episode} of ${replay.environment} again.`,
    ...replay.notes.map((note) => `# Note: ${note}.`),
    '# Needs: pip install "openenv>=0.10"',
    `from openenv.core import ${client}`,
    '',
    '# What is called, with what, and the reward that was recorded.',
    'CALLS = [',
    ...calls,
    ']',
    '',
    ...(needsAction
      ? ['', 'class Action(dict):', '    """An action as it is, for a client that expects one with a type."""', '', '    def model_dump(self):', '        return dict(self)', '', '']
      : ['']),
    `with ${client}(base_url=${pythonLiteral(replay.base)}).sync() as env:`,
    '    total = 0.0',
    '    for n, (kind, what, recorded) in enumerate(CALLS):',
    '        try:',
    '            if kind == "reset":',
    '                result = env.reset(**what)',
    ...(hasTools
      ? [
          '            elif kind == "tool":',
          '                answer = env.call_tool(what["name"], **what.get("arguments") or {})',
          '                print(f"{n} {what[\'name\']}: {answer}")',
          '                continue',
        ]
      : []),
    '            else:',
    `                result = env.step(${needsAction ? 'Action(what)' : 'what'})`,
    '        except (RuntimeError, TypeError) as error:',
    '            print(f"{n} {kind} failed: {error}")',
    '            continue',
    '        total += result.reward or 0.0',
    '        note = "" if result.reward == recorded else f"  (recorded: {recorded})"',
    '        print(f"{n} {kind} reward={result.reward} done={result.done}{note}")',
    '    print(f"return: {total}")',
  ].join('\n')}\n`;
}
