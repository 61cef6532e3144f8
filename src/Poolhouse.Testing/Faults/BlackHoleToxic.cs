using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Silently discards all data.</summary>
/// <remarks>
/// While the toxic is present, neither side is notified when the other side ends the connection. After its removal new bytes pass
/// and a withheld end is delivered, but discarded data stays lost: a connection that lost data can no longer be used.
/// </remarks>
public sealed class BlackHoleToxic : Toxic
{
    internal override ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage) =>
        bytes.IsEmpty ? PassEndLaterAsync(stage) : default;

    private static async ValueTask PassEndLaterAsync(ToxicStage stage)
    {
        await stage.WaitAsync(Timeout.InfiniteTimeSpan).ConfigureAwait(false);
        await stage.PassOnAsync(default).ConfigureAwait(false);
    }
}
