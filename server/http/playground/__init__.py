"""The page of a server that lets people try it; it asks the server's own HTTP interface."""
