// What a page paints: its visible texts, and the colours behind them.
const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
const rgbaCache = new Map();

// [red, green, blue, alpha], each from 0 to 1.
function rgba(colour) {
  let found = rgbaCache.get(colour);
  if (found === undefined) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    found = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
    rgbaCache.set(colour, found);
  }
  return found;
}

function over([red, green, blue, alpha], below) {
  return [...[red, green, blue].map((part, place) => part * alpha + below[place] * (1 - alpha)), 1];
}

function hex(colour) {
  return `#${colour
    .slice(0, 3)
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

// WCAG 2.2, relative luminance and contrast ratio.
function contrast(one, other) {
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

// Behind everything is the browser's own canvas, whose colour follows `color-scheme`.
function canvasColour() {
  const probe = document.createElement('i');
  probe.style.backgroundColor = 'Canvas';
  probe.style.colorScheme = getComputedStyle(document.documentElement).colorScheme;
  document.documentElement.append(probe);
  const colour = rgba(getComputedStyle(probe).backgroundColor);
  probe.remove();
  return colour;
}

const backgroundCache = new Map();
function backgroundBehind(element) {
  if (element === null) return canvasColour();
  let found = backgroundCache.get(element);
  if (found === undefined) {
    const style = getComputedStyle(element);
    const [red, green, blue, alpha] = rgba(style.backgroundColor);
    found = over([red, green, blue, alpha * Number(style.opacity)], backgroundBehind(element.parentElement));
    backgroundCache.set(element, found);
  }
  return found;
}

function opacityOf(element) {
  return element === null ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement);
}

function isSeen(element) {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  for (let each = element; each !== null; each = each.parentElement) {
    const { clipPath, overflowX } = getComputedStyle(each);
    // Text for screen readers alone.
    if (clipPath === 'inset(50%)' || (overflowX === 'hidden' && each.getBoundingClientRect().width <= 1)) return false;
  }
  return true;
}

function nameOf(element) {
  const id = element.id === '' ? '' : `#${element.id}`;
  const classes = [...element.classList].map((name) => `.${name}`).join('');
  return `${element.tagName.toLowerCase()}${id}${classes}`;
}

const short = (text) => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 40));

let texts;
// { element, text, rects } of each visible text.
function visibleTexts() {
  if (texts !== undefined) return texts;
  texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const element = node.parentElement;
    if (node.data.trim() === '' || /^(SCRIPT|STYLE|NOSCRIPT|OPTION)$/.test(element.tagName) || !isSeen(element))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    if (rects.length > 0) texts.push({ element, text: node.data, rects });
  }
  return texts;
}
