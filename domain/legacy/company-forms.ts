const CAPITALS = /^(cic|cio|llp|nhs|uk|gb)$/i;
const USUAL = /^(ltd|LTD|Ltd|plc|PLC|Plc)$/;
const SMALL: Record<string, string> = { ltd: 'Ltd', plc: 'plc' };
const ABBREVIATION = /(?<=^|[ (])[A-Za-z|1]{2,3}(?=$|[ ).,])/g;

/** OCR may misread the case of a legal form or abbreviation: `Cic`, `(Uk)`, `LTd`. */
export function inUsualCase(name: string): string {
  if (name === name.toLowerCase()) return name;
  return name.replace(ABBREVIATION, (word) => {
    const letters = word.replace(/^(c)[l1|](c)$/i, '$1I$2');
    if (CAPITALS.test(letters)) return letters.toUpperCase();
    const small = SMALL[letters.toLowerCase()];
    if (small === undefined || USUAL.test(letters)) return word;
    const others = name.replace(word, '');
    return others === others.toUpperCase() ? small.toUpperCase() : small;
  });
}
