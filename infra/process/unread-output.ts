/**
 * Calls `unread` if nobody reads the output any more, as after `| head`. Without this, the process would end with a stack
 * trace. Other errors, such as those of a closed terminal, have no effect.
 */
export function whenUnread(unread: () => void = () => {}): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' && unread());
}
