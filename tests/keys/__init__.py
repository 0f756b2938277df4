"""Every key, mouse report and paste: what a program gets here is what it gets in the outer terminal alone."""
