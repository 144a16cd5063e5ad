const LEAD =
  /^(from|(paid|issued|sent|provided) by|(pay|payslip|payment) from|(on )?(behalf )?of|(employer|company)(?= ?[:–-]) ?[:–-])\s+(?=\S)/i;

/** The employee's name after a suffix such as `Ltd`. */
const PERSON_BEHIND =
  /(?<=\b([Ll]td|LTD|[Ll]imited|LIMITED|plc|PLC|LLP|CIC|Trust|TRUST|Council|COUNCIL)\.?) ((Mr|Mrs|Miss|Ms|Mx|Dr|Prof)\.? )?([A-Z]\.? ){0,3}[A-Z][\w'’-]*$/;

/** Restores lost spaces, and removes words around the name. `seen` means that OCR read the name. */
export function asPrinted(text: string, seen: boolean): string {
  return spaced(text, seen)
    .replace(/\s+/g, ' ')
    .replace(/,\s*\d+[a-z]?( .*)?$/i, '')
    .replace(/^[=_*:\-–|\s]+|[=_*\-,;:|\s]+$/g, '')
    .replace(LEAD, '')
    .replace(PERSON_BEHIND, '');
}

/** In the file's own text, splits only three or more joined words, because two may be right (`BrightPath`). */
function spaced(text: string, seen: boolean): string {
  const apart = (word: string): string => word.replace(/(?<!\bMc|\bMac)(?<=[a-z]{3})(?=[A-Z][a-z]{2})/g, ' ');
  return text
    .replace(/\S+/g, (word) => (seen || apart(word).split(' ').length > 2 ? apart(word) : word))
    .replace(/NHS(?=[A-Z][a-z])/g, 'NHS ')
    .replace(/(?<![^\s])[A-Z]{14,}(?![^\s])/g, capitalsApart)
    .replace(/(?<=[a-z]{3})(?=(NHS|CIC|PLC|LLP|plc|ltd)\b)/g, ' ')
    .replace(/(?<=[A-Z]{2})(?=(LTD|PLC|LLP)\b)/g, ' ')
    .replace(/(?<=\w)&(?= )|(?<= )&(?=\w)/g, ' & ')
    .replace(/ {2,}/g, ' ');
}

const ENDINGS =
  /(?<=[A-Z]{3})(UNIVERSITY|HOSPITALS?|NHS|FOUNDATION|TRUST|BOROUGH|COUNTY|CITY|DISTRICT|COUNCIL|COLLEGE|ACADEMY|LIMITED|LTD|PLC|LLP|CIC)$/;

/** `NHSFOUNDATIONTRUST` becomes `NHS FOUNDATION TRUST`. */
function capitalsApart(letters: string): string {
  const ending = ENDINGS.exec(letters)?.[0];
  return ending === undefined ? letters : `${capitalsApart(letters.slice(0, -ending.length))} ${ending}`;
}
