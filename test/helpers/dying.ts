/** For a process that kills itself at this moment, as a power cut would. */
export function dyingAt(moment: string) {
  const dieAt = (now: string): void => {
    if (now === moment) process.kill(process.pid, 'SIGKILL');
  };
  return {
    dieAt,
    after:
      <Given extends unknown[], Result>(now: string, work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        const result = await work(...given);
        dieAt(now);
        return result;
      },
  };
}
