/** A piece of one byte takes over a hundred bytes of memory, so that many small pieces become one. */
const TOGETHER = 256;

/** Collects a body's pieces. */
export function collectPieces() {
  const whole: Buffer[] = [];
  const small: Buffer[] = [];
  const gather = () => {
    if (small.length > 0) whole.push(Buffer.concat(small.splice(0)));
  };
  return {
    add(piece: Buffer): void {
      if (small.push(piece) >= TOGETHER) gather();
    },
    bytes(): Buffer {
      if (whole.length === 0 && small.length === 1) return small[0]!;
      gather();
      return Buffer.concat(whole);
    },
  };
}
