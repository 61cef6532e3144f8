namespace Poolhouse.Extensions.Registration;

internal sealed record DrainPlan(TimeSpan Timeout);
