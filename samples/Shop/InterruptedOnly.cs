using Microsoft.EntityFrameworkCore.Storage;
using Npgsql.EntityFrameworkCore.PostgreSQL;

namespace Poolhouse.Samples.Shop;

/// <summary>
/// Repeats what a lost connection interrupted, but not what the pool refused: the pool has waited already, for OutageTimeout.
/// </summary>
internal sealed class InterruptedOnly(ExecutionStrategyDependencies dependencies) : NpgsqlRetryingExecutionStrategy(dependencies)
{
    protected override bool ShouldRetryOn(Exception? exception)
    {
        for (var cause = exception; cause is not null; cause = cause.InnerException)
        {
            if (cause is IPoolException)
            {
                return false;
            }
        }

        return base.ShouldRetryOn(exception);
    }
}
