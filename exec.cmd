@rem `exec` of the start script in package.json, for shells that have none: it runs what follows.
@%*
