"""What all compiled games share: the contract, keyed luck, and the loading and caching of compiled code."""
