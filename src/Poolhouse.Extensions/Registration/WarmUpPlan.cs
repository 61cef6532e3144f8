namespace Poolhouse.Extensions.Registration;

internal sealed record WarmUpPlan(int Count, WarmUpMode Mode, TimeSpan Timeout);
