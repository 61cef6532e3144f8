namespace Poolhouse.Samples.SmtpPool;

/// <summary>The server answered with an unexpected status.</summary>
#pragma warning disable CA1032, CA1064 // Made and caught in this sample only.
internal sealed class SmtpRefusedException(string answer) : Exception(answer);
#pragma warning restore CA1032, CA1064
