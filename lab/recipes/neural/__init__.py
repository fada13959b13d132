"""The neural models: fine-tuning of their encoders, and the CRF trained over them."""
