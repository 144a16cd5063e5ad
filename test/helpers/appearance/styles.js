// Styles and pictures that did not load, and custom properties that nothing defines.
function loadFaults() {
  const failed = [...document.querySelectorAll('link[rel~=stylesheet], style')]
    .filter(({ sheet, textContent }) => sheet === null || (textContent.trim() !== '' && ownRules(sheet).length === 0))
    .map((element) => `style not applied: ${element.href ?? short(element.textContent)}`);
  const imports = [...document.styleSheets].flatMap(rulesOf).filter((rule) => rule instanceof CSSImportRule);
  const broken = imports.filter(({ styleSheet }) => styleSheet === null || ownRules(styleSheet).length === 0);
  const pictures = [...document.images].filter((picture) => picture.complete && picture.naturalWidth === 0);
  const refused = performance
    .getEntriesByType('resource')
    .filter(
      ({ initiatorType, responseStatus }) =>
        ['link', 'css', 'script', 'img'].includes(initiatorType) && responseStatus >= 400,
    );
  return [
    ...failed,
    ...broken.map(({ href }) => `@import not loaded: ${href}`),
    ...pictures.map(({ src }) => `picture not loaded: ${src}`),
    ...refused.map(({ name, responseStatus }) => `${responseStatus} for ${name}`),
  ];
}

// The browser does not show the rules of a style sheet that failed to load or that another origin serves.
function ownRules(group) {
  try {
    return [...(group.cssRules ?? [])];
  } catch {
    return [];
  }
}

// All rules of a style sheet or group of rules, also of the sheets that it imports.
function rulesOf(group) {
  return ownRules(group).flatMap((rule) => [
    rule,
    ...(rule.cssRules ? rulesOf(rule) : []),
    ...(rule.styleSheet ? rulesOf(rule.styleSheet) : []),
  ]);
}

function variableFaults() {
  const missing = new Set();
  const check = (elements, text) => {
    for (const [, name] of text.matchAll(/var\(\s*(--[\w-]+)\s*\)/g)) {
      const lacking = elements.find((element) => getComputedStyle(element).getPropertyValue(name).trim() === '');
      if (lacking) missing.add(`${name} is undefined in ${nameOf(lacking)}`);
    }
  };
  for (const rule of [...document.styleSheets].flatMap(rulesOf)) {
    if (!(rule instanceof CSSStyleRule) || !rule.style.cssText.includes('var(')) continue;
    // The parts that follow two colons have the custom properties of their element.
    const selector = rule.selectorText.replaceAll(/::[\w-]+/g, '') || '*';
    check([...document.querySelectorAll(selector)].slice(0, 20), rule.style.cssText);
  }
  for (const element of document.querySelectorAll('[style*="var("]')) check([element], element.getAttribute('style'));
  return [...missing];
}
