namespace Poolhouse.Tool.Cli.Studies;

/// <summary>How far one study is.</summary>
internal interface IStudyProgress
{
    /// <param name="steps">How many there are.</param>
    /// <param name="things">What a step is called, in the plural.</param>
    /// <param name="rivals">What is measured, each against the others.</param>
    void Begin(int steps, string things, IEnumerable<string> rivals);

    void Advance();
}
