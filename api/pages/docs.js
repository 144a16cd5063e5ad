// Tells screen readers what a button did.
const status = document.createElement('p');
status.className = 'unseen';
status.setAttribute('role', 'status');
document.querySelector('main')?.append(status);

// A copy button for each block of code.
for (const figure of document.querySelectorAll('figure.code')) {
  const caption = figure.querySelector('figcaption');
  const code = figure.querySelector('code');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(code.textContent.trimEnd()).then(
      () => announce(button, 'Copied'),
      () => {
        // The browser refuses access to the clipboard, so the code is selected for copying by hand.
        getSelection().selectAllChildren(code);
        announce(button, 'Selected');
      },
    );
  });
  caption.append(button);
}

function announce(button, what) {
  button.textContent = what;
  status.textContent = what;
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2000);
}

// Tabs for the samples of one step. Without this script they stand below each other.
const CHOICE = 'sample-language';
const groups = [...document.querySelectorAll('.samples')].map(tabsOf);
chooseEverywhere(remembered());

function tabsOf(group, index) {
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const pairs = [...group.querySelectorAll('figure.code')].map((figure) => {
    const language = figure.querySelector('figcaption').firstChild.data;
    const tab = document.createElement('button');
    Object.assign(tab, { type: 'button', id: `tab-${index}-${language}`, textContent: language });
    tab.setAttribute('role', 'tab');
    const panel = document.createElement('div');
    tab.setAttribute('aria-controls', (panel.id = `sample-${index}-${language}`));
    tab.addEventListener('click', () => chooseByHand(tab));
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    figure.replaceWith(panel);
    panel.append(figure);
    list.append(tab);
    return { language, tab, panel };
  });
  list.addEventListener('keydown', (event) => {
    const here = pairs.findIndex(({ tab }) => tab === document.activeElement);
    const last = pairs.length - 1;
    const to = {
      ArrowLeft: here === 0 ? last : here - 1,
      ArrowRight: here === last ? 0 : here + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    chooseByHand(pairs[to].tab);
    pairs[to].tab.focus();
  });
  group.prepend(list);
  return pairs;
}

// Other groups change too, so the chosen tab might move; it stays where it was in the window.
function chooseByHand(tab) {
  const before = tab.getBoundingClientRect().top;
  remember(tab.textContent);
  chooseEverywhere(tab.textContent);
  scrollBy(0, tab.getBoundingClientRect().top - before);
}

function chooseEverywhere(wanted) {
  for (const pairs of groups) {
    const chosen = pairs.find(({ language }) => language === wanted) ?? pairs[0];
    for (const { tab, panel } of pairs) {
      const isChosen = tab === chosen.tab;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
    }
  }
}

// Some browsers refuse storage. Then each page begins with its first language.
function remembered() {
  try {
    return localStorage.getItem(CHOICE);
  } catch {
    return null;
  }
}

function remember(language) {
  try {
    localStorage.setItem(CHOICE, language);
  } catch {
    // The choice holds for this page alone.
  }
}
