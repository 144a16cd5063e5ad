// Faults of colours: contrasts of texts and controls, and colours that are not in the palette.
const TYPED = 'input:not([type=hidden], [type=submit], [type=button], [type=checkbox], [type=radio]), textarea, select';

function textFault(element, colour, style, text, background = backgroundBehind(element)) {
  const [red, green, blue, alpha] = rgba(colour);
  const painted = over([red, green, blue, alpha * opacityOf(element)], background);
  const size = parseFloat(style.fontSize);
  const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  const ratio = contrast(painted, background);
  if (ratio >= needed) return [];
  return [
    `contrast ${ratio.toFixed(2)} < ${needed}: ${short(text)} ${hex(painted)} on ${hex(background)} in ${nameOf(element)}`,
  ];
}

function textContrastFaults() {
  const isDisabled = (element) => element.closest(':disabled, [aria-disabled=true]') !== null;
  const faults = visibleTexts()
    .filter(({ element }) => !isDisabled(element))
    .flatMap(({ element, text }) => {
      const style = getComputedStyle(element);
      return textFault(element, element instanceof SVGElement ? style.fill : style.color, style, text);
    });
  for (const field of document.querySelectorAll(TYPED)) {
    if (!isSeen(field) || isDisabled(field)) continue;
    const style = getComputedStyle(field);
    faults.push(...textFault(field, style.color, style, `value of ${field.name}`));
    if (field.placeholder)
      faults.push(...textFault(field, getComputedStyle(field, '::placeholder').color, style, field.placeholder));
  }
  for (const element of document.body.querySelectorAll('*')) {
    for (const part of ['::before', '::after']) {
      const style = getComputedStyle(element, part);
      const [, text = ''] = /^"(.*)"$/.exec(style.content) ?? [];
      if (text.trim() === '' || !isSeen(element)) continue;
      const background = over(rgba(style.backgroundColor), backgroundBehind(element));
      faults.push(...textFault(element, style.color, style, text, background));
    }
  }
  return faults;
}

function sidesOf(style) {
  return ['Top', 'Right', 'Bottom', 'Left'].filter((side) => {
    const isDrawn = style[`border${side}Style`] !== 'none' && parseFloat(style[`border${side}Width`]) > 0;
    return isDrawn && rgba(style[`border${side}Color`])[3] > 0;
  });
}

function controls() {
  const found = document.querySelectorAll(`a, button, input[type=submit], input[type=button], ${TYPED}`);
  return [...found].filter((element) => isSeen(element) && !element.matches(':disabled'));
}

// A control is seen by its border or by its fill. Buttons and links with neither are plain text.
function controlFaults() {
  return controls().flatMap((element) => {
    const style = getComputedStyle(element);
    const around = backgroundBehind(element.parentElement);
    const fill = backgroundBehind(element);
    const sides = sidesOf(style);
    const looksLikeText =
      hex(fill) === hex(around) && (sides.length === 0 || (element.matches('a') && sides.length < 4));
    if (looksLikeText) return element.matches(TYPED) ? [`control without border or fill: ${nameOf(element)}`] : [];
    const edges = sides.map((side) => over(rgba(style[`border${side}Color`]), around));
    const ratio = Math.max(...[fill, ...edges].map((colour) => contrast(colour, around)));
    if (ratio >= 3) return [];
    return [
      `control at ${ratio.toFixed(2)} < 3 against ${hex(around)}: ${nameOf(element)} ${short(element.textContent)}`,
    ];
  });
}

// `palette` has the colours of the present scheme.
function paletteFaults(palette) {
  const known = new Map(Object.entries(palette).map(([name, colour]) => [hex(rgba(colour)), name]));
  const paper = hex(backgroundBehind(document.body));
  const ink = hex(rgba(getComputedStyle(document.body).color));
  const faults = [];
  if (known.get(paper) !== 'paper') faults.push(`palette: the page is ${paper}, not ${palette.paper}`);
  if (known.get(ink) !== 'ink') faults.push(`palette: its text is ${ink}, not ${palette.ink}`);
  const require = (colour, element, what) => {
    if (!known.has(hex(colour))) faults.push(`palette: ${hex(colour)} is the ${what} of ${nameOf(element)}`);
  };
  for (const element of controls()) {
    const style = getComputedStyle(element);
    require(rgba(style.color), element, 'text');
    require(backgroundBehind(element), element, 'fill');
    for (const side of sidesOf(style))
      require(over(rgba(style[`border${side}Color`]), backgroundBehind(element)), element, 'border');
  }
  // A surface is large enough to make a page look light in dark mode.
  for (const element of document.body.querySelectorAll('*')) {
    const { width, height } = element.getBoundingClientRect();
    if (width >= 200 && height >= 60 && !(element instanceof SVGElement) && isSeen(element))
      require(backgroundBehind(element), element, 'surface');
  }
  return faults;
}
