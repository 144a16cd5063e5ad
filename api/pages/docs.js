// Adds a copy button to each block of code.
const status = document.createElement('p');
status.className = 'unseen';
status.setAttribute('role', 'status');
document.querySelector('main')?.append(status);

for (const figure of document.querySelectorAll('figure.code')) {
  const caption = figure.querySelector('figcaption');
  const code = figure.querySelector('code');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(code.textContent.trimEnd()).then(
      () => tell(button, 'Copied'),
      () => {
        // The browser refuses access to the clipboard, so the code is selected for copying by hand.
        getSelection().selectAllChildren(code);
        tell(button, 'Selected');
      },
    );
  });
  caption.append(button);
}

function tell(button, what) {
  button.textContent = what;
  status.textContent = what;
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2000);
}
