"""`python -m agentsup` is `agentsup`."""

import sys

from agentsup.cli.main import main

sys.exit(main())
