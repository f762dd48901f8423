// Says what to do if the page cannot load. This is a plain script, so that it also runs in a browser without support for modules.

(() => {
  /** Shows that the page failed, with advice. Does nothing after the first call, or once the page is ready. */
  window.pageFailed = (advice) => {
    const root = document.documentElement;
    if ('failed' in root.dataset || 'ready' in root.dataset) return;
    root.dataset.failed = '';
    const status = document.getElementById('status');
    status.setAttribute('role', 'alert');
    status.textContent = `The page cannot start. ${advice}`;
    document.getElementById('backend').textContent = 'Not started';
  };

  const adviceHere = () => location.protocol === 'file:'
    ? 'It was opened as a file, and browsers load no modules from files. Serve its folder with a web server and open that address.'
    : 'A file of the page did not arrive. Check the network and reload the page.';
  document.getElementById('app').addEventListener('error', () => window.pageFailed(adviceHere()));
})();
