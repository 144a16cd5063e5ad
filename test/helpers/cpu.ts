/** Processor time of this process. Unlike real time, it does not grow while other processes use the processors. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
