/**
 * The flags of England, Scotland and Wales have invisible letters. A joiner stands between letters or parts of an emoji,
 * and in some scripts also at the end of a word, after a mark.
 */
const PRINTABLE =
  /^(?:\u{1f3f4}[\u{e0061}-\u{e007a}]{1,8}\u{e007f}|[^\p{C}\p{Zl}\p{Zp}]|(?<=[\p{L}\p{M}\p{ExtPict}\p{EMod}])[\u200c\u200d](?=[\p{L}\p{M}\p{ExtPict}])|(?<=[\p{M}--\p{Script=Inherited}])\u200d)*$/v;
/** U+2800 is a Braille cell without dots. */
const VISIBLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/v;

/** Gives all spellings of a text that look the same one spelling: in Unicode form NFC, and with single spaces. */
export function foldText(given: string): string {
  return given
    .normalize('NFC')
    .replace(/\p{Zs}+/gv, ' ')
    .replace(/^ | $/g, '');
}

/** Whether a text, such as a label or a name, is one line that people can see. */
export function isReadable(text: string): boolean {
  return PRINTABLE.test(text) && VISIBLE.test(text);
}
