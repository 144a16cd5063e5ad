import type { Writable } from 'node:stream';
import { inPounds } from '../../domain/money.ts';

export type Teller = ReturnType<typeof createTeller>;

/** `amount` is in pence. */
export interface Row {
  what: string;
  amount: number;
  remark?: string;
  total?: boolean;
}

const WIDTH = 96;
const INDENT = '    ';

export function createTeller(out: Writable & { isTTY?: boolean }) {
  const colours = out.isTTY === true && process.env.NO_COLOR === undefined;
  const style = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, dim, green, cyan] = [style(1), style(2), style(32), style(36)];
  const line = (text = '') => void out.write(`${text}\n`);
  const indented = (mark: string, text: string) => {
    const [first = '', ...rest] = wrap(text, WIDTH - INDENT.length - 2);
    line(`${INDENT}${mark} ${first}`);
    for (const more of rest) line(`${INDENT}  ${more}`);
  };
  let steps = 0;

  return {
    line,
    step(title: string, why: string) {
      steps += 1;
      line();
      line(bold(`${String(steps).padStart(2)}  ${title}`));
      for (const words of wrap(why, WIDTH - INDENT.length)) line(dim(`${INDENT}${words}`));
    },
    asked(request: string, body?: string) {
      line(`${INDENT}${cyan('>')} ${request}`);
      if (body !== undefined)
        for (const words of wrap(body, WIDTH - INDENT.length - 2)) line(dim(`${INDENT}  ${words}`));
    },
    answered: (status: number, words: string) => indented(green('<'), `${status} ${words}`),
    /** Prints the result of a successful check. */
    found: (words: string) => indented(green('='), words),
    /** Prints a link or command to try, in one line, because a wrapped URL cannot be clicked or copied. */
    look: (what: string, address: string) => line(`${INDENT}${cyan('@')} ${what}: ${address}`),
    table(rows: readonly Row[]) {
      const widest = Math.max(...rows.map(({ what }) => what.length));
      const amounts = rows.map(({ amount }) => inPounds(amount));
      const space = Math.max(...amounts.map((amount) => amount.length));
      for (const [index, { what, remark, total }] of rows.entries()) {
        const text = `${what.padEnd(widest)}  ${amounts[index]!.padStart(space)}${remark === undefined ? '' : `  ${remark}`}`;
        line(`${INDENT}    ${total === true ? bold(text) : text}`);
      }
    },
  };
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
