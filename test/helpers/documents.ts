export function blocks(document: string, mark: string): string[] {
  const pattern = new RegExp(`<!-- ${mark} -->\\n+\`\`\`\\w*\\n([\\s\\S]*?)\\n\`\`\``, 'g');
  return [...document.matchAll(pattern)].map(([, text]) => text!);
}

/** `<!-- mark -->` precedes the table, or `head` is its first heading. The header is left out. */
export function rows(document: string, mark: string | undefined, head?: string): string[][] {
  const start = mark === undefined ? document.indexOf(`\n| ${head} `) + 1 : document.indexOf(`<!-- ${mark} -->\n`);
  if (start <= 0) throw new Error(`there is no table ${mark ?? head}`);
  const lines = document.slice(start).split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'));
  const table = lines.slice(first + 2, length === -1 ? undefined : first + length);
  return table.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
