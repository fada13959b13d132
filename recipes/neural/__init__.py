"""The neural models: how their encoders are fine-tuned, and the CRF trained over them."""
