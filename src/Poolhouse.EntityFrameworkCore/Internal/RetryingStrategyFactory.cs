using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Makes the provider's strategies, and lets those that retry see the pool's exceptions as what they retry.</summary>
internal sealed class RetryingStrategyFactory(IExecutionStrategyFactory inner) : IExecutionStrategyFactory
{
    public IExecutionStrategy Create()
    {
        var strategy = inner.Create();
        return strategy.RetriesOnFailure ? new RetryingStrategy(strategy) : strategy;
    }
}
