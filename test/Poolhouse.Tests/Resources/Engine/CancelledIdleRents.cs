
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>A caller takes an idle item, finds it unusable, and is cancelled before it can try the next one (I6).</summary>
public sealed class CancelledIdleRents
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_capacity_of_the_unusable_item_is_not_lost(bool blocks)
    {
        using var cancellation = new CancellationTokenSource();
        var looks = 0;
        await using var pool = new ResourcePool<object>(
            ResourcePolicy.Create(
                _ => new ValueTask<object>(new object()),
                isBroken: _ =>
                {
                    // The first check is that of the return, the second that of the next caller.
                    if (++looks != 2)
                    {
                        return false;
                    }

                    cancellation.Cancel();
                    return true;
                }),
            new ResourcePoolOptions { MaxSize = 1 });
        (await pool.RentAsync()).Dispose();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => _ = blocks
            ? pool.Rent(cancellation.Token)
            : await pool.RentAsync(cancellation.Token));

        using var lease = await pool.RentAsync(TimeSpan.FromSeconds(20));
        Assert.Equal(1, pool.GetStatistics().Live);
    }
}
