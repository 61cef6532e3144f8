using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Poolhouse.Workers;

namespace Poolhouse.AspNetCore;

/// <summary>
/// Answers requests that failed because a pool did not serve them with 503, the state of the pool and, if the pool can estimate
/// it, Retry-After.
/// </summary>
[SuppressMessage("Performance", "CA1812", Justification = "The container creates it.")]
internal sealed class PoolExceptionHandler(IProblemDetailsService problems) : IExceptionHandler
{
    public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        if (Find(exception) is not { } refusal)
        {
            return false;
        }

        httpContext.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        var outage = PoolAnswers.OutageOf(refusal.Statistics);
        if (PoolAnswers.RetryAfterOf(refusal, outage) is { } seconds)
        {
            httpContext.Response.Headers.RetryAfter = seconds.ToString(CultureInfo.InvariantCulture);
        }

        // The message of the exception is only for the log: clients must not see the names and sizes of pools.
        await problems.TryWriteAsync(new ProblemDetailsContext
        {
            HttpContext = httpContext,
            Exception = exception,
            ProblemDetails = new ProblemDetails
            {
                Status = StatusCodes.Status503ServiceUnavailable,
                Title = "Service Unavailable",
                Detail = PoolAnswers.DetailOf(refusal.Condition, outage),
                Extensions = { ["state"] = PoolAnswers.NameOf(refusal.Condition) },
            },
        }).ConfigureAwait(false);
        return true;
    }

    // Libraries wrap exceptions: EF Core, for instance, in its retry strategy. Work that ran for too long did get its worker.
    private static IPoolException? Find(Exception? exception) => exception switch
    {
        null or WorkTimeoutException { Phase: WorkPhase.Run } => null,
        IPoolException refusal => refusal,
        AggregateException several => several.InnerExceptions.Select(Find).FirstOrDefault(refusal => refusal is not null),
        _ => Find(exception.InnerException),
    };
}
