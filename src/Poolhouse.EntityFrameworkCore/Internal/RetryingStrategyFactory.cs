using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Creates the provider's strategies, and makes those that retry treat the pool's exceptions as retriable.</summary>
internal sealed class RetryingStrategyFactory(IExecutionStrategyFactory inner) : IExecutionStrategyFactory
{
    public IExecutionStrategy Create()
    {
        var strategy = inner.Create();
        return strategy.RetriesOnFailure ? new RetryingStrategy(strategy) : strategy;
    }
}
