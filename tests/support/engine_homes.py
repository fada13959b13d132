"""Settings that keep Ray and Spark on this machine and off the network."""

import os
import sys

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

RAY = 'import ray\nray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")\n'
# A task that fails is tried again up to 4 times, as on a cluster; local[2] gives up at once.
SPARK = (
    "from pyspark.sql import SparkSession\n"
    'SparkSession.builder.master("local[2,4]").config("spark.driver.bindAddress", "127.0.0.1")'
    '.config("spark.ui.enabled", "false").getOrCreate()\n'
)
