"""Pure values and functions: events, session, meter, memory, restore text, injector. No I/O, no libraries."""
