import { XmlElement } from '@rgrove/parse-xml';

const SHAPES = new Set(['path', 'rect', 'circle', 'polyline', 'polygon', 'line', 'text']);
/** Omits event handlers, styles, links and classes on purpose. */
const ATTRIBUTES = new Set(
  `d x y x1 y1 x2 y2 cx cy r width height points viewBox transform fill fill-opacity stroke stroke-width
   stroke-opacity stroke-linecap stroke-linejoin stroke-dasharray stroke-dashoffset stroke-miterlimit opacity
   text-anchor dominant-baseline`.split(/\s+/),
);
/** These become attributes, because a page's Content Security Policy can forbid styles. */
const STYLES = new Set(['font-size', 'font-weight', 'font-style']);
const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif';

/** Prints only shapes, text and listed attributes, so that the SVG cannot run scripts or load anything. */
export function printSvg(root: XmlElement, { title, description }: { title: string; description: string }): string {
  const { viewBox, width, height } = root.attributes;
  const head = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${viewBox}"`;
  const texts = `<title id="chart-title">${escaped(title)}</title>\n<desc id="chart-desc">${escaped(description)}</desc>`;
  return `<svg ${head} font-family="${FONT}" role="img" aria-labelledby="chart-title chart-desc">\n${texts}\n${printAll(root)}\n</svg>\n`;
}

function printAll({ children }: XmlElement): string {
  return children
    .map((child) => (child instanceof XmlElement ? print(child) : ''))
    .filter((printed) => printed !== '')
    .join('\n');
}

function print(element: XmlElement): string {
  const { name: tag, attributes, text } = element;
  // echarts uses groups only to clip shapes outside the axes, and these charts have no such shapes.
  if (tag === 'g') return printAll(element);
  if (!SHAPES.has(tag) || isInvisible(attributes)) return '';
  const shown = Object.entries({ ...attributes, ...stylesOf(attributes.style) }).filter(
    ([name]) => ATTRIBUTES.has(name) || STYLES.has(name),
  );
  const head = [tag, ...shown.map(([name, value]) => `${name}="${escaped(value)}"`)].join(' ');
  return text === '' ? `<${head}/>` : `<${head}>${escaped(text)}</${tag}>`;
}

/** echarts adds invisible areas that react to the mouse. */
function isInvisible(attributes: XmlElement['attributes']): boolean {
  const { fill, stroke, 'fill-opacity': opacity, 'stroke-width': width } = attributes;
  const isUnfilled = fill === 'none' || Number(opacity ?? 1) === 0;
  return isUnfilled && (stroke === undefined || stroke === 'none' || Number(width ?? 1) === 0);
}

function stylesOf(style = ''): Record<string, string> {
  const pairs = style.split(';').map((pair) => pair.split(':', 2).map((part) => part.trim()));
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name && value && STYLES.has(name) ? [[name, value]] : [])),
  );
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return withoutOddCharacters(text).replace(/[&<>"']/g, (character) => REFERENCES[character]!);
}

/** Replaces characters that XML 1.0 forbids with U+FFFD. */
export function withoutOddCharacters(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
