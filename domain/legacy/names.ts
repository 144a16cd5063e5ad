import { headingOf, labelOf } from './labels.ts';
import { canonical, isPayrollWord } from './spelling.ts';

/** Endings of an organisation's name. */
export const STRONG =
  /\b(ltd|limited|plc|llp|lp|cic|inc|council|nhs trust|foundation trust|academy trust|learning trust|trust|university|college|school|academy|hospice|hospitals?)\b\.?$|\bnhs\b|^(department|office) for |^ministry of |^university of |^london borough of |\bborough council\b/i;
/** Endings that other names have too. */
export const WEAK =
  /\b(group|holdings|partnership|partners|foundation|association|charity|society|company|co|services|solutions|systems|care|church|borough|authority|police|constabulary|bank|uk|centre|consulting|hotel|hotels|restaurant|stores?|sons|brothers|bros|charitable|international|industries|engineering|logistics|retail|catering|recruitment|software)\b\.?$/i;
/** Makers of payroll software, and what a page says about itself. */
export const SOFTWARE =
  /\b(sage|iris|xero|bright ?pay|money ?soft|quick ?books|intuit|pay ?circle|staffology|adp|qtac|oracle|sap|itrent|earnie|powered by|produced by|generated|hm revenue|revenue (&|and) customs|hmrc|version|copyright)\b|www\.|https?:|\.co\.uk|\.com\b/i;
/** Words that rarely occur in an organisation's name. */
export const NOT_A_NAME =
  /\b(private|confidential|strictly|addressee|department|dept|message|thank|please|message|dear|page|salary|sort|account|street|road|avenue|lane|close|drive|p60|p45|copy|only|this|your|you|see|queries|contact|telephone|tel|email|happy|holiday|january|february|march|april|june|july|august|september|october|november|december|monthly|weekly|fortnightly)\b/i;
/** Names of departments and of work, which are as common on a payslip as the employer's. */
export const DEPARTMENT =
  /\b(services|department|dept|team|customers?|support|operations|sales|finance|accounts|admin|administration|human resources|reception|warehouse|production|assistant|officer|manager|nurse|clerk|teacher|teaching|analyst|driver|engineer|supervisor|technician|administrator|advisor|adviser|worker|practitioner|site)\b/i;
/** Captions and labels whose values are names of something other than the employer. */
export const OTHER_LABEL =
  /^(department|dept|division|section|team|location|site|store|branch|depot|job|job title|title|position|post|role|grade|pay ?scale( description)?|cost centre|tax office( name)?|pay method|method|assignment( number)?|works|payroll)( (name|description|title))?$/;
/** Beginnings of a person's name. */
export const PERSON = /^(mr|mrs|miss|ms|mx|dr|prof|rev|sir|dame)\.?\s/i;
const PERSON_RUN_TOGETHER = /^(Mr|Mrs|Miss|Ms|Mx|Dr|Prof|Rev|Sir|Dame)\.?(?=[A-Z][a-z])/;
/** A postcode anywhere in a text. */
export const POSTCODE = /\b[A-Z]{1,2}\d[A-Z\d]?\s*\d[A-Z]{2}\b/i;

/** Captions before an employer who may be a person. */
export const EMPLOYED_BY = /^((you are |you were )?employed by|(your )?er is|er name)$/;
/** Words before a person's name that say whom a page is for. */
const ADDRESSEE = /^(for|to|dear|payslip for|paid to|pay to)\s+(?=(mr|mrs|miss|ms|mx|dr|prof|rev|sir|dame)\b)/i;

/** Captions of the employer's name. */
export const LABEL =
  /^((\d{1,2} )?(name of )?(your )?er( full)?( name)?( (and )?address)?( (including|and) postcode)?|(company|business|organisation|organization|er|trading)( name)|er details|organisation|organization|legal entity|business|pay point)$/;

/** Last words of a caption whose value is a number, a date or a place on a list. */
const CAPTION_END =
  /\b(id|no|number|num|ref|reference|code|date|dates|begin|end|from|name|title|type|status|category|cat|letter|address|postcode|information|details)$/;

/**
 * Whether it is the caption of another value. Such captions stand beside or below the employer's caption as often as
 * the name does.
 */
function isCaption(name: string): boolean {
  const words = canonical(name);
  return OTHER_LABEL.test(words) || LABEL.test(words) || CAPTION_END.test(words);
}

/**
 * Whether it is a title of a page, of a part of it or of the file: "My payslip", "Your pay statement", "Payslip for".
 */
function isTitle(name: string): boolean {
  if (
    /\b(pay ?slips?|pay (advice|statement|summary)|wage ?slip|statement of (earnings|pay)|earnings statement|remittance advice)\b/i.test(
      name,
    )
  )
    return true;
  const words = canonical(name)
    .split(' ')
    .filter(
      (word) =>
        !/^(my|your|our|me|you|we|a|an|the|of|for|and|at|how|what|is|was|are|here|s|about|pay|money|online|view|new|latest)$/.test(
          word,
        ),
    );
  return words.every((word) => isPayrollWord(word));
}

/** Words before a name that say whose it is. */
const LEAD =
  /^(from|(paid|issued|sent|provided) by|(pay|payslip|payment) from|on behalf of|(employer|company)(?= ?[:–-]) ?[:–-])\s+(?=\S)/i;

/** A house number and its street; a company name that begins with a number has a company's ending. */
const STREET = /^\d+[a-z]?,? [a-z]/i;

/** Initials and a surname after a suffix such as `Ltd` or `Council`: the employee's name. */
const PERSON_BEHIND =
  /(?<=\b([Ll]td|LTD|[Ll]imited|LIMITED|plc|PLC|LLP|CIC|Trust|TRUST|Council|COUNCIL)\.?) ((Mr|Mrs|Miss|Ms|Mx|Dr|Prof)\.? )?([A-Z]\.? ){1,3}[A-Z][\w'’-]+$/;

/** A text that may be an organisation's name; `seen` says whether OCR read it, which may lose spaces. */
export function asName(text: string, seen: boolean): string | null {
  const name = spaced(text, seen)
    .replace(/\s+/g, ' ')
    .replace(/^[:\-–|\s]+|[,;:|\s]+$/g, '')
    .replace(LEAD, '')
    .replace(ADDRESSEE, '')
    .replace(PERSON_BEHIND, '')
    .trim();
  if (name.length < 3 || name.length > 80 || !/[a-z]{2}/i.test(name) || /^\(|[^ ]{25}/.test(name)) return null;
  if (/\d{3}|@|£|:/.test(name) || POSTCODE.test(name) || PERSON.test(name) || PERSON_RUN_TOGETHER.test(text.trim()))
    return null;
  if (STRONG.test(name)) return name;
  if (STREET.test(name) && !WEAK.test(name)) return null;
  if (/^(paid|issued|sent|provided|employed|prepared) (by|on|to|from)$/i.test(name)) return null;
  const words = canonical(name)
    .split(' ')
    .filter((word) => word.length > 1);
  if (isCaption(name) || isTitle(name)) return null;
  const payroll = words.filter((word) => isPayrollWord(word)).length;
  const heads = words.includes('YTD') || headingOf(name) !== null || labelOf(name) !== null;
  return heads || payroll * 2 > words.length ? null : name;
}

/** The name of a person after a title, without the address after it: `Mr & Mrs J Penrose`. */
export function personIn(text: string): string | null {
  const name = text.replace(/\s+/g, ' ').replace(/,.*$/, '').trim();
  const titled =
    /^(mr|mrs|miss|ms|mx|dr|prof|rev|sir|dame)\.?( (&|and) (mr|mrs|miss|ms|mx|dr|prof|rev|lady)\.?)? ([a-z]\.? ){0,3}[a-z]/i;
  return titled.test(name) && /^[a-z][a-z'’.&\- ]{4,60}$/i.test(name) && name.split(' ').length <= 8 ? name : null;
}

/**
 * Splits words that OCR ran together, by their capitals: `StonebridgeCommunityHealthNHSTrust`. In a file's own text
 * such words were written so: `BrightPath`.
 */
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

/**
 * Splits capitals that OCR ran together, if they end in words that names of organisations end with:
 * `...NHSFOUNDATIONTRUST`.
 */
function capitalsApart(letters: string): string {
  const ending = ENDINGS.exec(letters)?.[0];
  return ending === undefined ? letters : `${capitalsApart(letters.slice(0, -ending.length))} ${ending}`;
}
