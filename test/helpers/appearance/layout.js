// Faults of layout: a page that is too wide, and texts that are cut off or lie on each other.
const TOLERANCE = 1.5;

function widthFaults() {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const widest = [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + TOLERANCE)
    .slice(0, 3);
  return [`the page is ${scrollWidth} wide in ${clientWidth}: ${widest.map(nameOf).join(', ')}`];
}

// The part of a rectangle that the element's ancestors let through, and whether one of them hides the rest for good.
function clipped(rect, element) {
  const part = { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom };
  let isCut = false;
  for (let each = element; each !== null && each !== document.documentElement; each = each.parentElement) {
    const { overflowX, overflowY, display, position } = getComputedStyle(each);
    if (display === 'inline' || each === document.body) continue;
    const box = each.getBoundingClientRect();
    const cut = (overflow, low, high) => {
      if (overflow === 'visible') return;
      const hides = overflow === 'hidden' || overflow === 'clip';
      if (hides && (part[low] < box[low] - TOLERANCE || part[high] > box[high] + TOLERANCE)) isCut = true;
      part[low] = Math.max(part[low], box[low]);
      part[high] = Math.min(part[high], box[high]);
    };
    cut(overflowX, 'left', 'right');
    cut(overflowY, 'top', 'bottom');
    if (position === 'fixed') break;
  }
  return { part, isCut };
}

function textLayoutFaults() {
  const faults = [];
  const lines = [];
  for (const { element, text, rects } of visibleTexts()) {
    for (const rect of rects) {
      const { part, isCut } = clipped(rect, element);
      const isOutside = part.right > part.left && rect.left + window.scrollX < -TOLERANCE;
      if (isCut || isOutside) faults.push(`cut off: ${short(text)} in ${nameOf(element)}`);
      if (part.right > part.left && part.bottom > part.top)
        lines.push({ ...part, element, text, layer: layerOf(element) });
    }
  }
  return [...faults, ...overlapFaults(lines)];
}

// A dialog covers the page on purpose.
function layerOf(element) {
  if (element === null || getComputedStyle(element).position === 'fixed') return element;
  return layerOf(element.parentElement);
}

function overlapFaults(lines) {
  const faults = [];
  const sorted = lines.sort((a, b) => a.top - b.top);
  for (const [place, one] of sorted.entries()) {
    for (let after = place + 1; after < sorted.length && sorted[after].top < one.bottom; after += 1) {
      const other = sorted[after];
      if (one.layer !== other.layer) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - other.top;
      // Boxes of lines are higher than their letters.
      const least = Math.min(one.bottom - one.top, other.bottom - other.top) * 0.4;
      if (width > 2 && height > least)
        faults.push(`overlap: ${short(one.text)} and ${short(other.text)} in ${nameOf(other.element)}`);
    }
  }
  return faults;
}
