
namespace Poolhouse.Tests.Resources.Engine;

public sealed class ValidationOnTheSystemClock
{
    [Fact]
    public async Task With_ValidateAfterIdle_of_zero_every_idle_item_is_validated()
    {
        // The real clock is read in two ways that differ by some milliseconds, and not by the same in each pool.
        for (var pools = 0; pools < 20; pools++)
        {
            var validations = 0;
            await using var pool = new ResourcePool<object>(
                ResourcePolicy.Create(
                    _ => new ValueTask<object>(new object()),
                    validate: (_, _) =>
                    {
                        validations++;
                        return new ValueTask<bool>(result: true);
                    }),
                new ResourcePoolOptions { MaxSize = 1, ValidateAfterIdle = TimeSpan.Zero });

            for (var rents = 0; rents < 50; rents++)
            {
                (await pool.RentAsync()).Dispose();
            }

            Assert.Equal(49, validations);
        }
    }
}
