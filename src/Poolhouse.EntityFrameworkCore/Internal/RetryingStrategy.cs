using System.Runtime.ExceptionServices;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using Poolhouse.Data;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// Presents the pool's exceptions to a provider's retrying strategy as timeouts, which it retries, and the originals to the
/// caller.
/// </summary>
// The strategies of the providers handle their provider's exceptions and TimeoutException; none checks DbException.IsTransient.
internal sealed class RetryingStrategy(IExecutionStrategy inner) : IExecutionStrategy
{
    public bool RetriesOnFailure => inner.RetriesOnFailure;

    public TResult Execute<TState, TResult>(
        TState state,
        Func<DbContext, TState, TResult> operation,
        Func<DbContext, TState, ExecutionResult<TResult>>? verifySucceeded)
    {
        try
        {
            return inner.Execute(
                state, (context, value) => Attempt(operation, context, value),
                verifySucceeded is null ? null : (context, value) => Attempt(verifySucceeded, context, value));
        }
        catch (Exception failure) when (PoolTimeoutSignal.In(failure) is not null)
        {
            throw Reveal(failure);
        }

        static T Attempt<T>(Func<DbContext, TState, T> call, DbContext context, TState value)
        {
            try
            {
                return call(context, value);
            }
            catch (Exception failure) when (IsOfPool(failure))
            {
                throw new PoolTimeoutSignal(failure);
            }
        }
    }

    public async Task<TResult> ExecuteAsync<TState, TResult>(
        TState state,
        Func<DbContext, TState, CancellationToken, Task<TResult>> operation,
        Func<DbContext, TState, CancellationToken, Task<ExecutionResult<TResult>>>? verifySucceeded,
        CancellationToken cancellationToken = default)
    {
        try
        {
            return await inner.ExecuteAsync(
                state, (context, value, token) => AttemptAsync(operation, context, value, token),
                verifySucceeded is null ? null : (context, value, token) => AttemptAsync(verifySucceeded, context, value, token),
                cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (PoolTimeoutSignal.In(failure) is not null)
        {
            throw Reveal(failure);
        }

        static async Task<T> AttemptAsync<T>(
            Func<DbContext, TState, CancellationToken, Task<T>> call, DbContext context, TState value, CancellationToken token)
        {
            try
            {
                return await call(context, value, token).ConfigureAwait(false);
            }
            catch (Exception failure) when (IsOfPool(failure))
            {
                throw new PoolTimeoutSignal(failure);
            }
        }
    }

    // Not if another attempt would fail too: that reaches the caller at once, as with the provider's own pool.
    private static bool IsOfPool(Exception failure) =>
        (failure as DbPoolException ?? (failure as DbUpdateException)?.InnerException) is DbPoolException { IsTransient: true };

    private static Exception Reveal(Exception failure)
    {
        var cause = PoolTimeoutSignal.In(failure)!;
        if (failure is RetryLimitExceededException)
        {
            return new RetryLimitExceededException(failure.Message, cause);
        }

        ExceptionDispatchInfo.Throw(cause);
        return cause;
    }

    /// <summary>Represents a timeout for a strategy. Only visible inside a strategy and in its events.</summary>
#pragma warning disable CA1032, CA1064 // Made in one place, and hidden on purpose.
    private sealed class PoolTimeoutSignal(Exception cause) : TimeoutException(cause.Message, cause)
#pragma warning restore CA1032, CA1064
    {
        public static Exception? In(Exception failure) => failure switch
        {
            PoolTimeoutSignal signal => signal.InnerException,
            RetryLimitExceededException { InnerException: PoolTimeoutSignal signal } => signal.InnerException,
            _ => null,
        };
    }
}
