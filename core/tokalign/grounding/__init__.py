"""Support: where source passages support the words of an answer."""
