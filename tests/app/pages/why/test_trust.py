"""What a sentence says of how far methods can be trusted."""

import numpy as np

from headscope.analysis.attribution.faithfulness import Faithfulness
from headscope.app.pages.why.trust import verdict


def test_the_best_of_a_sentence_and_how_many_orders_it_beats():
    found = Faithfulness(
        methods=("saliency", "occlusion"),
        side="source",
        operator="mask",
        shares=np.array([0.5, 1.0]),
        without=np.array([[1.0, 2.0], [2.0, 2.0]]),
        alone=np.array([[1.0, 0.0], [3.0, 0.0]]),
        random_without=np.array([[0.0, 2.0], [1.0, 2.0], [1.5, 2.0], [3.0, 2.0]]),
        random_alone=np.array([[1.0, 0.0]] * 4),
    )
    told = verdict(found)
    # Means of 1.5 and 2; those of the random orders are 1, 1.5, 1.75 and 2.5.
    assert told.startswith("In this sentence occlusion does best")
    assert "more than in 75% of 4 random orders" in told
    assert "ranks no methods" in told
