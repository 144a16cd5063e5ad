const DIRECTIVE = /^\s*(?:eslint|@ts-|prettier-|v8 ignore|globals?\s|\/ <)/;
const NEW_PARAGRAPH = /^(?:[-*] |\d+[.)] |@\w|\||$)/;
const TAG = /\s(?=@(?:param|returns|throws)\b)/;
const SENTENCE_END = /(?<=[.!?]["'”’)]*)\s+(?=["'“‘(]*[A-Z0-9£])/;
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx)\./gi;

/** Adjacent line comments form one comment. */
function commentsOf(sourceCode) {
  const groups = [];
  for (const comment of sourceCode.getAllComments()) {
    if (comment.type === 'Shebang' || DIRECTIVE.test(comment.value)) continue;
    const lines = comment.value.split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trim());
    const { line, column } = comment.loc.start;
    const last = groups.at(-1);
    if (comment.type === 'Line' && last?.next === line && last.column === column) {
      last.lines.push(...lines);
      last.next += 1;
    } else groups.push({ comment, lines, column, next: comment.type === 'Line' ? line + 1 : undefined });
  }
  return groups;
}

/** Returns each paragraph, list item and tag as one line of text. */
function paragraphsOf(lines) {
  const text = lines.map((line) => (NEW_PARAGRAPH.test(line) ? `\n${line}` : line)).join(' ');
  return text.replace(/```.*?(?:```|$)/gs, '\n').split('\n');
}

/** Code, links, addresses and lists of code each count as one word. */
function sentencesOf(paragraph) {
  const plain = paragraph
    .replace(/\{@link[^}]*\}|`[^`]*`|https?:\S+/g, 'Code')
    .replace(/Code(?:,? (?:and |or )?Code)+/g, 'Code')
    .replace(ABBREVIATION, 'abbreviation');
  return plain.split(TAG).flatMap((part) => part.split(SENTENCE_END));
}

const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const shortSentences = {
  meta: { type: 'suggestion', schema: [{ type: 'integer' }], messages: { long: '{{words}} words: “{{start}} …”' } },
  create: (context) => ({
    Program() {
      for (const { comment, lines } of commentsOf(context.sourceCode)) {
        for (const sentence of paragraphsOf(lines).flatMap(sentencesOf)) {
          const words = wordsIn(sentence);
          if (words <= context.options[0]) continue;
          context.report({ loc: comment.loc, messageId: 'long', data: { words, start: sentence.slice(0, 60).trim() } });
        }
      }
    },
  }),
};

/** The option of `short-sentences` is the maximum number of words in a sentence. */
export default { rules: { 'short-sentences': shortSentences } };
