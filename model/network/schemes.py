"""Which position scheme a configuration names."""

from headscope.model.config import ModelConfig
from headscope.model.network.positions import LearnedPositions, PositionScheme, SinusoidalPositions
from headscope.model.network.relative_positions import AlibiPositions, RotaryPositions, ShawPositions, T5Positions


def position_scheme(config: ModelConfig) -> PositionScheme:
    """The scheme that a configuration names."""
    match config.positions:
        case "sinusoidal":
            return SinusoidalPositions(config.d_model, config.sinusoid_layout)
        case "learned":
            return LearnedPositions(config.d_model, config.position_table)
        case "rotary":
            return RotaryPositions(config.rotary_base)
        case "alibi":
            return AlibiPositions()
        case "shaw":
            return ShawPositions(config, config.key_width, config.shaw_reach)
        case "t5":
            return T5Positions(config, config.t5_buckets, config.t5_furthest)
        case "none":
            return PositionScheme()
