// The tab to play in: the episode so far, the step that is looked at, and what to do next.

import { html } from '../vendor/preact.js';
import { usePage, usePageState } from '../part/context.js';
import { Empty } from '../part/parts.js';
import { Icon } from '../part/icon.js';
import { MOD } from '../part/keys.js';
import { useActing } from '../session/acting.js';
import { ActPane, takesTools } from './act_pane.js';
import { EpisodeBadge, EpisodePane } from './episode_pane.js';
import { StepPane } from './step_pane.js';

export function Play() {
  const { store } = usePage();
  const { ready, reset, repeat } = useActing();
  const own = usePageState((state) => state.own);
  const over = usePageState((state) => state.ownIsOver);
  const selected = usePageState((state) => state.selected);
  const about = usePageState((state) => state.about);
  const select = (n) => store.dispatch({ type: 'selected', n });

  const edit = useEditing();
  const empty = html`<${Empty} icon="play" title=${`Play ${about.metadata?.name ?? about.name} by hand`}>
    <p>${about.metadata?.description}</p>
    <button type="button" class="button button-primary" disabled=${!ready} onClick=${reset}><${Icon} name="reset" />Start an episode</button>
    <p class="play-note">This tab has a session of its own: nothing you do here disturbs another tab, or a trainer.</p>
    <p class="play-keys"><span><kbd>r</kbd> reset</span><span><kbd>${MOD}</kbd> <kbd>Enter</kbd> run</span><span><kbd>?</kbd> all keys</span></p>
  </${Empty}>`;
  const nothing = html`<p class="episode-nothing muted">Steps appear here, with their rewards.</p>`;

  return html`<div class="play">
    <${EpisodePane} episode=${own} selected=${selected} onSelect=${select} onRepeat=${repeat} onEdit=${edit}
      badge=${html`<${EpisodeBadge} episode=${own} over=${over} />`}>${own ? null : nothing}</${EpisodePane}>
    <${StepPane} episode=${own} selected=${selected} onSelect=${select} onRepeat=${repeat} onEdit=${edit} empty=${empty} />
    <${ActPane} />
  </div>`;
}

// Puts what a step did into the form that it came from, to change it and run it again.
export function useEditing() {
  const { store, navigate } = usePage();
  const byTool = usePageState((state) => takesTools(state.about?.contract?.action));
  return (step) => {
    if (step.kind === 'reset') return;
    if (step.kind === 'tool' && !byTool) {
      const { name, arguments: value } = step.request;
      store.dispatch({ type: 'toolDrafted', name, value });
      navigate({ view: 'tools', tool: name });
      return;
    }
    const action = step.kind === 'tool'
      ? { type: 'call_tool', tool_name: step.request.name, arguments: step.request.arguments ?? {} }
      : step.request;
    store.dispatch({ type: 'actionDrafted', action });
    navigate({ view: 'play' });
    requestAnimationFrame(() => document.querySelector('.act-editor :is(input, textarea, select)')?.focus());
  };
}
