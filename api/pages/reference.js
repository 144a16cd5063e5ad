// Swagger UI leaves these parts without a name for screen readers.
function nameParts() {
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  for (const [part, name] of [
    ['.information-container', 'About'],
    ['.schemes-server-container', 'Servers'],
  ]) {
    document.querySelector(part)?.setAttribute('role', 'region');
    document.querySelector(part)?.setAttribute('aria-label', name);
  }
}

// Shows what succeeds first. The many errors of an operation open on request, and only then take time.
function foldErrors({ React }) {
  const element = React.createElement;
  const responses = (Responses) =>
    function Folded(props) {
      const [isOpen, setOpen] = React.useState(false);
      const isError = (_response, code) => !/^[123]/.test(code);
      const errors = props.responses.filter(isError);
      if (errors.size === 0) return element(Responses, props);
      const some = (responses) => element(Responses, { ...props, responses, tryItOutResponse: undefined });
      return element(
        React.Fragment,
        null,
        element(Responses, { ...props, responses: props.responses.filterNot(isError) }),
        element(
          'details',
          { className: 'errors', onToggle: (event) => setOpen(event.currentTarget.open) },
          element('summary', null, `Errors: ${errors.keySeq().join(', ')}`),
          isOpen && some(errors),
        ),
      );
    };
  return { wrapComponents: { responses } };
}

window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [foldErrors],
  onComplete: nameParts,
});
