namespace Poolhouse.Data.Sessions;

/// <summary>
/// Uses a provider's connection for something other than a command: observes failures, and ends the use.
/// </summary>
// The delegates are static, so that a use allocates nothing for them.
internal static class ConnectionUse
{
    public static TResult Run<TState, TResult>(
        PooledConnection connection, PhysicalConnection physical, TState state, Func<PhysicalConnection, TState, TResult> use)
    {
        try
        {
            return use(physical, state);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }

    /// <inheritdoc cref="Run"/>
    public static async Task<TResult> RunAsync<TState, TResult>(
        PooledConnection connection,
        PhysicalConnection physical,
        TState state,
        Func<PhysicalConnection, TState, CancellationToken, Task<TResult>> use,
        CancellationToken cancellationToken)
    {
        try
        {
            return await use(physical, state, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }
}
