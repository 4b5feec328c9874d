// How every part of Play resets and steps: with the reset options as they are filled in.

import { usePage, usePageState } from '../part/context.js';
import { resetArguments } from '../form/reset_form.js';

export function useActing() {
  const { session, store, toast } = usePage();
  const ready = usePageState((state) => state.connection.phase === 'open' && !state.running);

  const resetData = () => {
    const { data, errors } = resetArguments(store.get().drafts.reset);
    if (errors.length === 0) return data;
    store.dispatch({ type: 'resetOptionsShown', shown: true });
    toast(`Not reset: ${errors[0].message}`, { kind: 'bad' });
    return null;
  };
  const reset = async () => {
    const data = ready ? resetData() : null;
    return data && session.reset(data);
  };
  const run = async (action) => {
    if (!ready) return null;
    const data = session.needsReset ? resetData() : {};
    return data && session.step(action, data);
  };
  const repeat = (step) => {
    if (step.kind === 'reset') return session.reset(step.request ?? {});
    if (step.kind === 'tool') return session.callTool(step.request.name, step.request.arguments);
    return run(step.request);
  };
  return { ready, reset, run, repeat };
}
