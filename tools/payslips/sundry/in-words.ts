const ONES = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen']; // prettier-ignore
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** Writes pence as on a cheque: "Four hundred and twelve pounds 07p". */
export function inWords(pence: number): string {
  const text = `${counted(Math.floor(pence / 100)) || 'nil'} pounds ${String(pence % 100).padStart(2, '0')}p`;
  return text[0]!.toUpperCase() + text.slice(1);
}

function counted(number: number): string {
  if (number >= 1000) {
    const rest = number % 1000;
    return `${counted(Math.floor(number / 1000))} thousand${rest === 0 ? '' : `${rest < 100 ? ' and' : ''} ${counted(rest)}`}`;
  }
  if (number >= 100) {
    const rest = number % 100;
    return `${ONES[Math.floor(number / 100)]!} hundred${rest === 0 ? '' : ` and ${counted(rest)}`}`;
  }
  if (number < 20) return ONES[number]!;
  return `${TENS[Math.floor(number / 10)]!}${number % 10 === 0 ? '' : `-${ONES[number % 10]!}`}`;
}
