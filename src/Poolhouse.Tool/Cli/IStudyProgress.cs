namespace Poolhouse.Tool.Cli;

/// <summary>How far one study is.</summary>
internal interface IStudyProgress
{
    /// <param name="steps">How many there are.</param>
    /// <param name="things">What a step is called, in the plural.</param>
    void Begin(int steps, string things);

    void Advance();
}
