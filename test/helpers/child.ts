import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Returns a function that sends tasks, one at a time, to a program in a separate process.
 * @param program a file of this folder, which must reply with one message to each message.
 */
export function withChild<Answer>(program: string): (task: object) => Promise<Answer> {
  let child: ChildProcess | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  afterAll(async () => {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.disconnect();
    await gone;
  });
  return (task) => {
    const answered = turn.then(async () => {
      child ??= fork(new URL(program, import.meta.url), { serialization: 'advanced', execArgv: [] });
      child.send(task);
      const [answer] = (await once(child, 'message')) as [Answer];
      return answer;
    });
    turn = answered.catch(() => {});
    return answered;
  };
}
