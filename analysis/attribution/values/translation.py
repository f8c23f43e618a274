"""The whole translation: the log-probability of all its pieces, as one number."""

from headscope.analysis.attribution.explained import Explained, explainable
from headscope.analysis.attribution.values.log_probability import log_prob

TRANSLATION = Explained("translation", "log-probability of the whole translation", "nats", log_prob, first=0)
EXPLAINABLE = explainable(TRANSLATION)
