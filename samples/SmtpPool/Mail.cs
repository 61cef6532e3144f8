namespace Poolhouse.Samples.SmtpPool;

internal sealed record Mail(string From, string To, string Subject, string Text);
