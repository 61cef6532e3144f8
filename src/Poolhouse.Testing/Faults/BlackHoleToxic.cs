using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Lets nothing through and says nothing about it: what is sent is lost.</summary>
/// <remarks>
/// Neither side learns of an end of the other while it is there. After its removal new bytes pass and a withheld end is delivered, but what was
/// lost stays lost: a connection that lost something is of no more use.
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
